"""Kernel machines for tables: mixed columns go in, a tuned and certified machine comes out."""

from maxmargin.tabular.explanation import Explanation
from maxmargin.tabular.importances import Importances
from maxmargin.tabular.preparation import Preparation
from maxmargin.tabular.table_one_class import TableOneClass
from maxmargin.tabular.table_svc import TableSVC
from maxmargin.tabular.table_svr import TableSVR

__all__ = ["Explanation", "Importances", "Preparation", "TableOneClass", "TableSVC", "TableSVR"]
