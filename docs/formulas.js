// Formulas are in elements of class arithmatex; MathJax is told to look nowhere else.
window.MathJax = {
  tex: {
    inlineMath: [["\\(", "\\)"]],
    displayMath: [["\\[", "\\]"]],
    processEscapes: true,
    processEnvironments: true,
  },
  options: { ignoreHtmlClass: ".*", processHtmlClass: "arithmatex" },
};
