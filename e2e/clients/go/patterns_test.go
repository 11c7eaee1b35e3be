package clients

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// answers holds what Go's regexp says of patterns; the server's own tests compare it with what the server says.
const answers = "../../../crates/sts/src/claims/dialect/re2/answers.jsonl"

var record = flag.Bool("record", false, "write what regexp says of patterns, instead of comparing it with what is written")

// Texts that patterns are asked for. The first line of the answers has them; behind each pattern stands a digit for each.
var texts = []string{
	"", "a", "A", "b", "ab", "aa", "aaa", "abab", "a-z", "-", "z", "[", "]", "[a]", "a]", "&", "a&&b", "{", "}", "a{,3}", "{1", "a{1,2", "^",
	"a|b", "|", "1", "7", "-1", " ", "a b", "\t", "\n", "a\nb", ".", "\\", "<", "k", "K", "\u212a", "\u017f", "s", "é", "É", "ß", "Ω", "\u0661", "\u00a0", "_",
	"a*", "*", "a.b", "QE", "x", "S", "repo:acme/x", "refs/heads/main", "日本",
}

// Patterns that say most: each construct, and what looks like one.
var patterns = []string{
	`a`, `a|b`, `(a|b)*`, `a**`, `a*?`, `a*??`, `a+*`, `a?*`, `a??`, `a*(?i)*`, `a(?i)*`, `a|*`, `*`, `(*)`, `^*`, `$*`, `\b*`, `(?i)*`, `()*`, `a{1,1001}`, `a{1001}`, `a{1000}`,
	`a{2,1}`, `a{,3}`, `{`, `}`, `{1`, `{1}`, `a{`, `a{1`, `a{1,`, `a{1,2`, `a{01}`, `a{0}`, `a{0,0}`, `a{1}{2}`, `a{1}?`, `a{2}{2}`, `(a{2}){2}`, `(?:a{500}){2}`, `(?:a{500}){3}`,
	`((a{0}){1000}){2}`, `(?:a{2,}){600}`, `(?:(?:a{10}){10}){10}`, `(?:(?:a{10}){10}){11}`, `(?:a*){1000}`, `a{99999999999}`, `a{,}`, `a{a}`, `a{1,a}`, `a{-1}`, `a{ 1}`, `x{1,2}?`, `x{2}*`,
	`(`, `)`, `(a`, `a)`, `a)|(?:b`, `(?:a)`, `(?P<n>a)`, `(?P<n>a)(?P<n>b)`, `(?<n>a)`, `(?<n>a)(?P<n>b)`, `(?P<1>a)`, `(?P<_>a)`, `(?P<>a)`, `(?<>a)`, `(?P<n`, `(?<n`, `(?P<x y>a)`, `(?Pa)`,
	`(?P=n)`, `(?'n'a)`, `(?<=a)`, `(?<!a)`, `(?=a)`, `(?!a)`, `(?#c)`, `(?>a)`, `(?|a)`, `(?x)a`, `(?x) a`, `(?i)a`, `(?i:a)b`, `(?i)K`, `(?i)s`, `(?i)[k]`, `(?i)[^k]`, `(?i)é`, `(?-i)a`, `(?i-i)A`,
	`(?-)`, `(?)`, `(?:)`, `(?i`, `(?i-`, `(?i-)`, `(?--i)`, `(?i-s-m)`, `(?is)a`, `(?U)a*`, `(?mi-sU:a)`, `(?m)^a$`, `a(?m)$`, `(?s).`, `(?s)a.b`, `.`, `a.b`, `(?s:.)`, `(?u)a`, `(?a)a`, `(?i)(?-i)a`, `((?i)a)b`,
	`[a]`, `[^a]`, `[]`, `[]a]`, `[^]a]`, `[^]`, `[`, `[a`, `[a-`, `[a-]`, `[-a]`, `[a-b-z]`, `[b-a]`, `[\d-z]`, `[a-\d]`, `[\w-]`, `[\D]`, `[^\D]`, `[\Wa]`, `[^\W]`, `[\S]`, `(?i)[\W]`, `(?i)[\w]`, `(?i)\w`, `(?i)\W`,
	`[a&&b]`, `[a&&b]*`, `[[a]]`, `[[a]`, `[a[b]]`, `[a--b]`, `[a~~b]`, `[[:alpha:]]`, `[[:^alpha:]]`, `[^[:alpha:]]`, `[[:word:]]`, `[[:foo:]]`, `[[:alpha]`, `[[:alpha:]`, `[:alpha:]`, `[[:ALPHA:]]`, `[[:^upper:]k]`, `[[:alpha]:]]`, `[[::alpha::]]`, `[[:[[^alpha:]]]]`, `[[:^^alpha:]]`, `(?i)[[:^alpha:]_]`, `(?i)[[:upper:]]`,
	`[\]]`, `[\[]`, `[\^]`, `[a\-z]`, `[\b]`, `[\B]`, `[\A]`, `[\Q]`, `[\pL]`, `[\p{Greek}a]`, `[^\pL]`, `[\PL]`, `(?i)[\p{Lu}]`, `(?i)\p{Lu}`, `(?i)\P{Lu}`, `[\x41-\x{5A}]`, `[\07]`, `[\1]`, `[\11]`, `[é]`, `[a-é]`, `[\n]`, `[ -~]`, `[#]`,
	`\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `\h`, `\v`, `\R`, `\pL`, `\PL`, `\p{L}`, `\p{^L}`, `\P{^L}`, `\pN`, `\p{Lu}`, `\p{Greek}`, `\p{Han}`, `\p{Latin}`, `\p{Foo}`, `\p{Alphabetic}`, `\p{Script=Greek}`, `\p{sc=Greek}`, `\p{gc:L}`, `\p{}`, `\p{L`, `\p`, `\pé`, `\p{Emoji}`, `\p{Any}`,
	`\A`, `\z`, `\Z`, `\G`, `\b`, `\B`, `a\b`, `\ba\b`, `\Ba`, `a\B`, `\Aa\z`, `\<`, `\>`, `\_`, `\ `, `\-`, `\.`, `\/`, `\é`, `\`, `a\`, `\Q`, `\Q\E`, `\Qa.b\E`, `\Qa.b`, `\Q[\E`, `\Qa\E*`, `\Qab\E+`, `\E`, `\Qa\Eb\E`, `\Q\\E`, `(\Q)\E)`, `(?i)\QA\E`, `\Qa*\E`,
	`\0`, `\00`, `\07`, `\067`, `\0677`, `\1`, `\7`, `\8`, `\10`, `\12`, `\141`, `\1411`, `\777`, `(a)\1`, `(a)\11`, `\k<n>`, `\x`, `\x4`, `\x41`, `\x4g`, `\x{41}`, `\x{}`, `\x{110000}`, `\x{41`, `\x{+41}`, `\u0041`, `\U0041`, `\cA`, `\C`, `\X`, `\K`, `\N`, `\a`, `\f`, `\t`, `\n`, `\r`, `\e`, `\q`, `\y`, `\m`,
	`a||b`, `|`, `|a`, `a|`, `(|a)`, `(a|)`, `^a$`, `a$|^b`, `a^b`, `a$b`, `(^a)`, `^^a$$`, `\Aa|b\z`, `$^`, `a&&b`, `]`, `a]`, `]*`, `}`, `a}`, `-`, `#`, ` `, `a b`, `<`, `"`,
	`repo:acme/.*`, `refs/heads/(main|release-[0-9]+)`, `https://[a-z]+\.example\.com(/.*)?`, `[^:/]+`, `日.`, `[日-本]+`, `\x{65E5}.`, `(?i)ß`, `(?i)Ω`, `(?i)[a-z]`, `(?i)[^a-z]`, `(?i)\x{212A}`, `(?i:k)K`,
}

// Pieces of which more patterns are put together, always the same ones.
var pieces = []string{
	`a`, `b`, `k`, `A`, `-`, `&&`, `[`, `]`, `[^`, `(`, `)`, `(?:`, `(?i)`, `(?i:`, `(?-i)`, `(?s)`, `(?m)`, `(?P<n>`, `(?x)`, `|`, `*`, `+`, `?`, `{2}`, `{1,3}`, `{,3}`, `{`, `}`, `{0}`, `{2,}`, `.`, `^`, `$`,
	`\d`, `\D`, `\w`, `\W`, `\s`, `\b`, `\B`, `\pL`, `\PN`, `\p{Greek}`, `\Q`, `\E`, `\1`, `\12`, `\0`, `\x41`, `\]`, `\<`, `\-`, `[:alpha:]`, `[[:^digit:]]`, `é`, `:`, `,`, `1`, ` `,
}

func TestPatternsAreThoseOfRE2(t *testing.T) {
	want := new(bytes.Buffer)
	write := json.NewEncoder(want)
	write.SetEscapeHTML(false)
	must(t, write.Encode(texts))
	asked := map[string]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		var pattern strings.Builder
		for range 1 + random.IntN(7) {
			pattern.WriteString(pieces[random.IntN(len(pieces))])
		}
		patterns = append(patterns, pattern.String())
	}
	for _, pattern := range patterns {
		if asked[pattern] {
			continue
		}
		asked[pattern] = true
		must(t, write.Encode([]any{pattern, answer(pattern)}))
	}
	if *record {
		must(t, os.WriteFile(answers, want.Bytes(), 0o644))
		return
	}
	if got := got(os.ReadFile(answers))(t); !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what regexp says today; read what changed after: go test -run %s -record", answers, t.Name())
	}
}

// answer tells which of the texts a pattern matches as a whole, or nil when it is none.
func answer(pattern string) any {
	read, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	// The longest match that begins first is the whole text, if any is.
	read.Longest()
	var digits strings.Builder
	for _, text := range texts {
		digit := byte('0')
		if at := read.FindStringIndex(text); at != nil && at[0] == 0 && at[1] == len(text) {
			digit = '1'
		}
		digits.WriteByte(digit)
	}
	return digits.String()
}
