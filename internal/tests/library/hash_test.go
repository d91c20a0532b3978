package library

import "strings"

// shaRows calls a package by the sizes of what it sums; New makes that of the first.
func shaRows(pkg string, sizes ...string) map[string]row {
	rows := map[string]row{}
	for i, size := range sizes {
		rows["Sum"+size] = yes("d := " + pkg + ".Sum" + size + "(s[:n+9]); for _, c := range d { r.i(int(c)) }").with("Uint8").ofMuchCode()
		if i == 0 {
			size = ""
		}
		rows["New"+size] = yes("h := " + pkg + ".New" + size + "(); h.Write(s); t := h.Sum(make([]byte, 0, 64)); r.i(len(t)); for _, c := range t { r.i(int(c)) }").with("Uint8").ofMuchCode()
	}
	return rows
}

// message is of up to three blocks of a hash, which end anywhere.
const message = "var own [200]byte; for j := range own { own[j] = s[j%20] + byte(j) }; p := own[:(u>>9)%201]; "

func sumRows(pkg string) map[string]row {
	return map[string]row{
		"Sum": yes(message + "for _, c := range " + pkg + ".Sum(p) { r.i(int(c)) }").with("Uint8"),
		"New": yes(message + "h := " + pkg + ".New(); h.Write(s); h.Write(p); add(h.Sum(s[:4])); r.i(h.Size() + h.BlockSize()); h.Reset(); h.Write(p[:len(p)/2]); add(h.Sum(s[:0]))").with("Uint8"),
	}
}

var crc64Rows = map[string]row{
	"Checksum":  yes(message + "r.u(crc64.Checksum(p, crc64.MakeTable(crc64.ISO))); r.u(crc64.Checksum(p, crc64.MakeTable(crc64.ECMA))); r.u(crc64.Checksum(p, crc64.MakeTable(w)))").with("Uint8"),
	"MakeTable": yes("r.u(crc64.MakeTable(v)[u%256]); r.b(crc64.MakeTable(crc64.ISO) == crc64.MakeTable(crc64.ISO)); r.b(crc64.MakeTable(crc64.ISO) == crc64.MakeTable(crc64.ECMA))"),
	"New":       yes(message + "h := crc64.New(crc64.MakeTable(crc64.ECMA)); h.Write(s); h.Write(p); r.u(h.Sum64()); add(h.Sum(s[:4])); h.Reset(); r.i(h.Size() + h.BlockSize()); r.u(h.Sum64())").with("Uint8"),
	"Update":    yes("var p [2100]byte; for j := range p { p[j] = byte(j) * byte(v) }; r.u(crc64.Update(u, crc64.MakeTable(0x95ac9329ac4bc9b5), p[:])); r.u(crc64.Update(u, crc64.MakeTable(crc64.ISO), p[:2000]))"),
}

// rand1Rows: methods that have no row take their numbers from words.
var rand1Rows = join(map[string]row{
	"New":          yes("g := rand1.New(rand1.NewSource(int64(u))); h := *g; r.u(g.Uint64()); r.i(h.Intn(9)); r.i(g.Int())"),
	"NewSource":    yes("g := rand1.NewSource(int64(u)); r.u(uint64(g.Int63())); r.u(g.(rand1.Source64).Uint64()); g.Seed(int64(v)); r.u(uint64(g.Int63()))"),
	"Rand.Uint64":  yes("g := rand1.New(rand1.NewSource(int64(u))); for range 700 { r.u(g.Uint64()) }; r.u(rand1.New(&words{v}).Uint64())"),
	"Rand.Seed":    yes("g := rand1.New(&words{u}); r.i(g.Int()); g.Seed(int64(v)); r.i(g.Int())"),
	"Rand.Read":    yes("g := rand1.New(&words{u}); m, err := g.Read(s[:n+3]); r.i(m); r.b(err == nil); g.Read(s[12:]); g.Seed(3); g.Read(s[18:]); r.i(g.Int())").with("Uint8"),
	"Rand.Shuffle": yes("g := rand1.New(&words{u}); g.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })").with("Int32"),
	"Rand.Perm":    yes("p := rand1.New(&words{u}).Perm(9); for _, x := range p { r.i(x) }"),
	"NewZipf":      yes("zipf := rand1.NewZipf(rand1.New(&words{u}), 1.5, 2, 100); r.u(zipf.Uint64())"),
	"Zipf.Uint64":  yes("zipf := rand1.NewZipf(rand1.New(&words{u}), 1.5, 2, 1000); r.u(zipf.Uint64()); r.u(zipf.Uint64())"),
	"Perm":         no("KG304", global, "p := rand1.Perm(9); r.i(p[0])"),
	"Read":         no("KG304", global, "rand1.Read(s)").with("Uint8"),
	"Seed":         no("KG304", global, "rand1.Seed(9)"),
	"Shuffle":      no("KG304", global, "rand1.Shuffle(9, func(a, b int) {})"),
},
	each(func(name string) row { return no("KG304", global, "_ = rand1."+name+"()") },
		"ExpFloat64", "Float32", "Float64", "Int", "Int31", "Int63", "NormFloat64", "Uint32", "Uint64"),
	each(func(name string) row { return no("KG304", global, "_ = rand1."+name+"(3)") },
		"Int31n", "Int63n", "Intn"))

var subtleRows = map[string]row{
	"ConstantTimeByteEq":   yes("r.i(subtle.ConstantTimeByteEq(byte(u), byte(v))); r.i(subtle.ConstantTimeByteEq(byte(u), byte(u)))"),
	"ConstantTimeCompare":  yes("r.i(subtle.ConstantTimeCompare(s[:5], s[5:])); r.i(subtle.ConstantTimeCompare(s[:2], s[n+3:][:2])); s[3] = s[6]; r.i(subtle.ConstantTimeCompare(s[3:4], s[6:7]))").with("Uint8"),
	"ConstantTimeCopy":     yes("subtle.ConstantTimeCopy(int(u&1), s[:4], s[n+4:][:4])").with("Uint8"),
	"ConstantTimeEq":       yes("r.i(subtle.ConstantTimeEq(int32(u), int32(v))); r.i(subtle.ConstantTimeEq(int32(u), int32(u)))"),
	"ConstantTimeLessOrEq": yes("r.i(subtle.ConstantTimeLessOrEq(int(u>>33), int(v>>33))); r.i(subtle.ConstantTimeLessOrEq(7, n&15))"),
	"ConstantTimeSelect":   yes("r.i(subtle.ConstantTimeSelect(int(u&1), n, int(v)))"),
	"XORBytes":             yes("own := [12]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; r.i(subtle.XORBytes(s, s, own[max(n, 0):])); r.i(subtle.XORBytes(s[9:], s[:4], s[4:8])); r.i(subtle.XORBytes(own[:], s[:u%13], s[1:])); for _, c := range own { r.i(int(c)) }").with("Uint8"),

	"WithDataIndependentTiming": no("KG304", "it is a mode of the host's processor", "subtle.WithDataIndependentTiming(func() { r.i(n) })"),
}

// aesRows call methods of an interface that NewCipher returns.
var aesRows = map[string]row{
	"NewCipher": yes(`var key [32]byte; for j := range key { key[j] = s[j%20] + byte(j)*byte(v) }; size := 16 + 8*int(u%3); if n < 0 { size += n }
		g, err := aes.NewCipher(key[:size]); r.b(err == nil); if err != nil { return }
		r.i(g.BlockSize()); var to [16]byte; g.Encrypt(to[:], s[2:]); g.Decrypt(s[2:], s[2:18]); for _, b := range to { r.i(int(b)) }`).with("Uint8"),
	"KeySizeError.Error": no("KG304", allocates, "r.s(aes.KeySizeError(n).Error())"),
}

// sha3Rows: of the package, kernels have the functions that sum.
var sha3Rows = func() map[string]row {
	rows := map[string]row{
		"SHA3.Write":   no("KG304", notYet, "var h sha3.SHA3; h.Write(s)").with("Uint8"),
		"SHAKE.Read":   no("KG304", notYet, "var h sha3.SHAKE; h.Read(s)").with("Uint8"),
		"NewCSHAKE128": no("KG304", notYet, "_ = sha3.NewCSHAKE128(nil, nil)"),
		"SumSHAKE256":  no("KG304", notYet, "_ = sha3.SumSHAKE256(nil, 3)"),
		"New256":       no("KG304", notYet, "_ = sha3.New256()"),
	}
	for name := range strings.FieldsSeq("NewCSHAKE256 NewSHAKE128 NewSHAKE256 New224 New384 New512 SumSHAKE128 SHA3.Sum SHA3.Reset SHA3.Size SHA3.BlockSize " +
		"SHA3.Clone SHA3.AppendBinary SHA3.MarshalBinary SHA3.UnmarshalBinary SHAKE.Write SHAKE.Reset SHAKE.BlockSize SHAKE.AppendBinary " +
		"SHAKE.MarshalBinary SHAKE.UnmarshalBinary") {
		rows[name] = row{why: notYet}
	}
	for _, size := range []string{"224", "256", "384", "512"} {
		rows["Sum"+size] = yes("var own [300]byte; for j := range own { own[j] = s[j%20] + byte(j) }; for _, c := range sha3.Sum" + size + "(own[:(u>>9)%301]) { r.i(int(c)) }").with("Uint8").ofVeryMuchCode()
	}
	return rows
}()
