// Command vex asks a repository of OpenVEX documents, as it was fetched, what it says, with the library that trivy and grype read them with:
// vex ARCHIVE VULNERABILITY PRODUCT prints a status, or nothing. The specification's section 3.3 says how a client finds the document.
package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"os"

	"github.com/openvex/go-vex/pkg/vex"
	"github.com/package-url/packageurl-go"
)

type index struct {
	Packages []struct {
		ID       string `json:"id"`
		Location string `json:"location"`
	} `json:"packages"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("vex ARCHIVE VULNERABILITY PRODUCT")
	}
	if err := ask(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func ask(path, vulnerability, product string) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	var packages index
	text, err := fs.ReadFile(archive, "index.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &packages); err != nil {
		return err
	}
	url, err := packageurl.FromString(product)
	if err != nil {
		return err
	}
	url.Version, url.Qualifiers, url.Subpath = "", nil, ""
	for _, known := range packages.Packages {
		if known.ID != url.String() {
			continue
		}
		text, err := fs.ReadFile(archive, known.Location)
		if err != nil {
			return err
		}
		document, err := vex.Parse(text)
		if err != nil {
			return err
		}
		for _, statement := range document.Matches(vulnerability, product, nil) {
			if err := statement.Validate(); err != nil {
				return err
			}
			fmt.Println(statement.Status)
		}
	}
	return nil
}
