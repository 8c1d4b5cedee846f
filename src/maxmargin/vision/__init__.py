"""Objects found in images by cascades of boosted stumps (Viola and Jones 2001)."""

from maxmargin.vision.cascade import Cascade
from maxmargin.vision.checkpoint import CheckpointError
from maxmargin.vision.classifier import CascadeClassifier
from maxmargin.vision.columns import FeatureColumns
from maxmargin.vision.faces import face_cascade
from maxmargin.vision.group import group_rectangles
from maxmargin.vision.haar import HaarFeatures
from maxmargin.vision.image import ImageError, grey_image
from maxmargin.vision.integral import integral_image, rectangle_sum
from maxmargin.vision.lbp import LBPFeatures
from maxmargin.vision.opencv import CascadeFileError
from maxmargin.vision.plan import LastStage
from maxmargin.vision.positives import Variation
from maxmargin.vision.progress import CascadeProgress
from maxmargin.vision.scan import Scan
from maxmargin.vision.training import TrainingError, train_cascade
from maxmargin.vision.tree import Stage, Tree
from maxmargin.vision.windows import Windows

__all__ = [
    "Cascade",
    "CascadeClassifier",
    "CascadeFileError",
    "CascadeProgress",
    "CheckpointError",
    "FeatureColumns",
    "HaarFeatures",
    "ImageError",
    "LBPFeatures",
    "LastStage",
    "Scan",
    "Stage",
    "TrainingError",
    "Tree",
    "Variation",
    "Windows",
    "face_cascade",
    "grey_image",
    "group_rectangles",
    "integral_image",
    "rectangle_sum",
    "train_cascade",
]
