// More returns than drivers nest ifs.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2]
	_ = recs
	s := k.In[id*16]
	if s = shape.Mix(s, 0); s%97 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 1); s%98 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 2); s%99 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 3); s%100 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 4); s%101 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 5); s%102 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 6); s%103 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 7); s%104 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 8); s%105 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 9); s%106 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 10); s%107 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 11); s%108 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 12); s%109 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 13); s%110 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 14); s%111 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 15); s%112 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 16); s%113 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 17); s%114 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 18); s%115 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 19); s%116 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 20); s%117 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 21); s%118 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 22); s%119 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 23); s%120 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 24); s%121 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 25); s%122 == 0 {
		return
	}
	out[10] = s
	for j := range 4 {
		for range 3 {
			s++
			if s%61 == uint64(j) {
				return
			}
		}
	}
	if s = shape.Mix(s, 26); s%123 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 27); s%124 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 28); s%125 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 29); s%126 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 30); s%127 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 31); s%128 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 32); s%129 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 33); s%130 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 34); s%131 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 35); s%132 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 36); s%133 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 37); s%134 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 38); s%135 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 39); s%136 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 40); s%137 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 41); s%138 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 42); s%139 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 43); s%140 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 44); s%141 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 45); s%142 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 46); s%143 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 47); s%144 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 48); s%145 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 49); s%146 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 50); s%147 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 51); s%148 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 52); s%149 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 53); s%150 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 54); s%151 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 55); s%152 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 56); s%153 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 57); s%154 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 58); s%155 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 59); s%156 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 60); s%157 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 61); s%158 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 62); s%159 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 63); s%160 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 64); s%161 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 65); s%162 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 66); s%163 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 67); s%164 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 68); s%165 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 69); s%166 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 70); s%167 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 71); s%168 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 72); s%169 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 73); s%170 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 74); s%171 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 75); s%172 == 0 {
		return
	}
	out[0] = s
	for j := range 4 {
		for range 3 {
			s++
			if s%61 == uint64(j) {
				return
			}
		}
	}
	if s = shape.Mix(s, 76); s%173 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 77); s%174 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 78); s%175 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 79); s%176 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 80); s%177 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 81); s%178 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 82); s%179 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 83); s%180 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 84); s%181 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 85); s%182 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 86); s%183 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 87); s%184 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 88); s%185 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 89); s%186 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 90); s%187 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 91); s%188 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 92); s%189 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 93); s%190 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 94); s%191 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 95); s%192 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 96); s%193 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 97); s%194 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 98); s%195 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 99); s%196 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 100); s%197 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 101); s%198 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 102); s%199 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 103); s%200 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 104); s%201 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 105); s%202 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 106); s%203 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 107); s%204 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 108); s%205 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 109); s%206 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 110); s%207 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 111); s%208 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 112); s%209 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 113); s%210 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 114); s%211 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 115); s%212 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 116); s%213 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 117); s%214 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 118); s%215 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 119); s%216 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 120); s%217 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 121); s%218 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 122); s%219 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 123); s%220 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 124); s%221 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 125); s%222 == 0 {
		return
	}
	out[5] = s
	for j := range 4 {
		for range 3 {
			s++
			if s%61 == uint64(j) {
				return
			}
		}
	}
	if s = shape.Mix(s, 126); s%223 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 127); s%224 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 128); s%225 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 129); s%226 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 130); s%227 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 131); s%228 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 132); s%229 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 133); s%230 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 134); s%231 == 0 {
		return
	}
	out[14] = s
	if s = shape.Mix(s, 135); s%232 == 0 {
		return
	}
	out[0] = s
	if s = shape.Mix(s, 136); s%233 == 0 {
		return
	}
	out[1] = s
	if s = shape.Mix(s, 137); s%234 == 0 {
		return
	}
	out[2] = s
	if s = shape.Mix(s, 138); s%235 == 0 {
		return
	}
	out[3] = s
	if s = shape.Mix(s, 139); s%236 == 0 {
		return
	}
	out[4] = s
	if s = shape.Mix(s, 140); s%237 == 0 {
		return
	}
	out[5] = s
	if s = shape.Mix(s, 141); s%238 == 0 {
		return
	}
	out[6] = s
	if s = shape.Mix(s, 142); s%239 == 0 {
		return
	}
	out[7] = s
	if s = shape.Mix(s, 143); s%240 == 0 {
		return
	}
	out[8] = s
	if s = shape.Mix(s, 144); s%241 == 0 {
		return
	}
	out[9] = s
	if s = shape.Mix(s, 145); s%242 == 0 {
		return
	}
	out[10] = s
	if s = shape.Mix(s, 146); s%243 == 0 {
		return
	}
	out[11] = s
	if s = shape.Mix(s, 147); s%244 == 0 {
		return
	}
	out[12] = s
	if s = shape.Mix(s, 148); s%245 == 0 {
		return
	}
	out[13] = s
	if s = shape.Mix(s, 149); s%246 == 0 {
		return
	}
	out[14] = s
}
