"""Colours that stay apart for colour-blind readers (Okabe and Ito) and on grey paper."""

CLASSES = ("#0072B2", "#D55E00")
REGIONS = ("#DDEAF4", "#FCEBDD")
MARKERS = ("o", "^")
BAYES = "#8B2FA0"
INK = "#1A1A1A"
FACTS = "#444444"
TRAIN = "#D55E00"
TEST = "#0072B2"
CHANCE = "#8A8A8A"
WRONG = "#EFEFEF"

# Several curves on one axis differ in colour and in dash, so that either alone distinguishes them.
CURVES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#1A1A1A", "#E69F00", "#56B4E9")
DASHES = ("-", (0, (5, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (1.5, 1.2)), (0, (7, 2, 1.5, 2, 1.5, 2)))
