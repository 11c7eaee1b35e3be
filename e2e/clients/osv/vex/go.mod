module provost.dev/e2e/osv/vex

go 1.26.4

require (
	github.com/openvex/go-vex v0.2.9
	github.com/package-url/packageurl-go v0.1.7
)

require (
	github.com/in-toto/attestation v1.2.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
