"""The integral image: what sums of rectangles cost with it and without, on a generated image."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.vision import HaarFeatures, integral_image, rectangle_sum

rng = np.random.default_rng(0)
y, x = np.mgrid[0:240, 0:320]
image = 120 + 60 * np.sin(x / 25) * np.cos(y / 18) + rng.normal(scale=20, size=x.shape)
image = image.clip(0, 255).astype(np.uint8)
S = integral_image(image)

left, top, w, h = 70, 50, 120, 90
print(f"pixel by pixel   {image[top : top + h, left : left + w].sum(dtype=int)}")
print(f"in four looks    {rectangle_sum(S, left, top, w, h)}")
print(f"additions        {w * h - 1} and 3; {2 * image.size} once for all rectangles\n")

print("window   features   additions, pixel by pixel   with the integral image")
for size in (16, 20, 24):
    features = HaarFeatures(window=(size, size))
    areas = np.where(features.weights != 0, features.rectangles[:, :, 2:].prod(axis=2), 0)
    looks = 4 * np.count_nonzero(features.weights)
    plain, summed = areas.sum() - len(features), looks - len(features)
    print(f"{size:2d} x {size:2d} {len(features):10d} {plain:27d} {2 * size**2 + summed:25d}")

figure, (one, two) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
one.imshow(image, cmap="gray", vmin=0, vmax=255)
one.add_patch(plt.Rectangle((left, top), w, h, fill=False, color="#D55E00", linewidth=2))
one.set(title="the image p", xlabel="x", ylabel="y")
shown = two.imshow(S, cmap="cividis")
corners = {"+S(a)": (0, 0), "−S(b)": (w, 0), "−S(c)": (0, h), "+S(d)": (w, h)}
for label, (dx, dy) in corners.items():
    two.plot(left + dx, top + dy, "o", color="white", markeredgecolor="#1A1A1A")
    two.annotate(label, (left + dx + 6, top + dy - 6), color="white", weight="bold")
two.set(title="its integral S", xlabel="X", ylabel="Y")
figure.colorbar(shown, ax=two, label="sum of pixels", shrink=0.8)
plt.show()
