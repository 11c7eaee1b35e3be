//! `provost advisories export`

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use client::Client;
use contract::provost::vulnerabilities::v1::{DocumentFormat, ExportAdvisoriesRequest, rpc::ExportAdvisories};
use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    exit::Failure,
    global::Global,
    output::{remark, report},
    progress::Progress,
    resolve::{self, Kind},
};

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The organization or folder whose advisories are exported, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// What the documents are written in: the Open Source Vulnerability format, or OpenVEX
    #[arg(long)]
    format: Format,
    /// Where they go: a .zip, a .tar.gz, or a folder that is empty or not there yet
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
}

/// What documents are written in.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Osv,
    Openvex,
}

/// Where documents go.
enum Out {
    Folder(PathBuf),
    Zip(Box<ZipWriter<BufWriter<File>>>),
    Tar(Box<tar::Builder<GzEncoder<BufWriter<File>>>>),
}

impl Export {
    pub(super) async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let (format, suffix) = match self.format {
            Format::Osv => (DocumentFormat::Osv, ".json"),
            Format::Openvex => (DocumentFormat::Openvex, ".openvex.json"),
        };
        let target = Target::of(self.out)?;
        let mut out = target.open()?;
        let progress = Progress::of("exporting");
        let (mut names, mut token, mut documents) = (HashSet::new(), String::new(), 0_u64);
        loop {
            let request = ExportAdvisoriesRequest { parent: parent.clone(), format: format.into(), page_token: token };
            let page = client.call::<ExportAdvisories>(request).await?;
            for document in page.documents {
                out.add(&file_name(&document.name, suffix, &mut names), &document.content)?;
                documents += 1;
            }
            progress.set(documents, documents);
            token = page.next_page_token;
            if token.is_empty() {
                break;
            }
        }
        drop(progress);
        out.finish()?;
        target.finish()?;
        if documents == 0 {
            remark("warning: there is no advisory that can be exported");
        }
        let path = target.path.display().to_string();
        report(global.output, &path, &json!({ "documents": documents, "out": path }), None)
    }
}

/// A path that comes to be when everything was written.
struct Target {
    path: PathBuf,
    partial: Option<PathBuf>,
    is_zip: bool,
}

impl Target {
    fn of(path: PathBuf) -> Result<Self, Failure> {
        let ends = |path: &Path, with: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(with));
        let is_zip = ends(&path, "zip");
        let is_tar =
            ends(&path, "tgz") || (ends(&path, "gz") && path.file_stem().is_some_and(|stem| ends(Path::new(stem), "tar")));
        if !is_zip && !is_tar {
            fs::create_dir_all(&path)?;
            if fs::read_dir(&path)?.next().is_some() {
                return Err(Failure::usage(format!("the folder {} is not empty", path.display())));
            }
            return Ok(Self { path, partial: None, is_zip: false });
        }
        let mut partial = OsString::from(&path);
        partial.push(".partial");
        Ok(Self { path, partial: Some(partial.into()), is_zip })
    }

    fn open(&self) -> Result<Out, Failure> {
        let Some(partial) = &self.partial else { return Ok(Out::Folder(self.path.clone())) };
        let file = BufWriter::new(File::create(partial)?);
        Ok(if self.is_zip {
            Out::Zip(Box::new(ZipWriter::new(file)))
        } else {
            Out::Tar(Box::new(tar::Builder::new(GzEncoder::new(file, Compression::default()))))
        })
    }

    fn finish(&self) -> Result<(), Failure> {
        if let Some(partial) = &self.partial {
            fs::rename(partial, &self.path)?;
        }
        Ok(())
    }
}

impl Out {
    fn add(&mut self, name: &str, content: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Folder(folder) => fs::write(Path::new(folder).join(name), content)?,
            Self::Zip(zip) => {
                zip.start_file(name, SimpleFileOptions::default()).map_err(|error| Failure::failed(error.to_string()))?;
                zip.write_all(content)?;
            }
            Self::Tar(tar) => {
                let mut header = tar::Header::new_gnu();
                header.set_size(content.len() as u64);
                header.set_mode(0o644);
                header.set_cksum();
                tar.append_data(&mut header, name, content)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Folder(_) => {}
            Self::Zip(zip) => {
                zip.finish().map_err(|error| Failure::failed(error.to_string()))?.flush()?;
            }
            Self::Tar(tar) => tar.into_inner()?.finish()?.flush()?,
        }
        Ok(())
    }
}

/// A name for a file: ids of records may be anything.
fn file_name(id: &str, suffix: &str, taken: &mut HashSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let stem: String = id.chars().map(plain).take(150).collect();
    let stem = stem.trim_start_matches('.');
    let stem = if stem.is_empty() { "document" } else { stem };
    let mut name = format!("{stem}{suffix}");
    let mut number = 1_u64;
    // File systems that know no case take names that differ in it for one.
    while !taken.insert(name.to_ascii_lowercase()) {
        number += 1;
        name = format!("{stem}-{number}{suffix}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_harmless_and_differ() {
        let mut taken = HashSet::new();
        let mut name = |id| file_name(id, ".json", &mut taken);
        assert_eq!(
            [name("GO-2024-1"), name("go-2024-1"), name("../../etc/x"), name(""), name("..")],
            ["GO-2024-1.json", "go-2024-1-2.json", "_.._etc_x.json", "document.json", "document-2.json"]
        );
        assert_eq!(name(&"x".repeat(5000)).len(), 155);
    }
}
