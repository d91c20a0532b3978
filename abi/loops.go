package abi

import "strings"

// LoopPos returns the source position, file:line:col, of a loop of a module. loopList has the format of
// Kernel.Loops. Loops are numbered from 1. LoopPos returns "" for a loop that is not in the source.
func LoopPos(loopList string, number int) string {
	file := ""
	for entry := range strings.FieldsSeq(loopList) {
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
