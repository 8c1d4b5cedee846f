"""Colours that stay apart for colour-blind readers (Okabe and Ito) and on grey paper."""

CLASSES = ("#0072B2", "#D55E00")
REGIONS = ("#DDEAF4", "#FCEBDD")
MARKERS = ("o", "^")
BAYES = "#8B2FA0"
INK = "#1A1A1A"
TRAIN = "#D55E00"
TEST = "#0072B2"
CHANCE = "#8A8A8A"
