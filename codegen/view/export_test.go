package view

// EvilPage is for the tests in a browser, which are of another package: they compile kernels.
var EvilPage = evilPage
