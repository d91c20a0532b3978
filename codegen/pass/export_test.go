package pass

// WhyOpen is whyOpen, for tests outside of the package.
var WhyOpen = whyOpen
