package pass

// passes is the pipeline. The order matters; each row's reason for standing
// where it does is in its comment.
var passes = []Pass{}
