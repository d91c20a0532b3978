package abi

import "strings"

// LoopPos returns file:line:col of a loop of a module, given the module's loops and the
// loop's number, from 1; see the package documentation. It is "" for a loop that is not in
// the source.
func LoopPos(loops string, number int) string {
	file := ""
	for entry := range strings.FieldsSeq(loops) {
		if strings.Count(entry, ":") > 1 {
			at := strings.LastIndexByte(entry[:strings.LastIndexByte(entry, ':')], ':')
			file, entry = entry[:at], entry[at+1:]
		}
		if number--; number > 0 {
			continue
		}
		if entry == "-" {
			return ""
		}
		return file + ":" + entry
	}
	return ""
}
