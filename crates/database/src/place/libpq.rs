//! The same database for the programs that come with PostgreSQL.

use tokio_postgres::{Config, config::Host};

use super::{Postgres, SslMode};

impl Postgres {
    /// The same database, seen from inside one schema; its connections bear the schema's name. The name is not quoted.
    pub(crate) fn within(&self, schema: &str) -> Self {
        let hosts = self.hosts().iter().map(|host| {
            let mut host = host.clone();
            let options = host.get_options().map(|options| format!("{options} ")).unwrap_or_default();
            host.options(format!("{options}-c search_path={schema}")).application_name(schema);
            host
        });
        self.with_hosts(hosts.collect())
    }

    /// What such a program (`pgbench`, `psql`) finds in its environment to reach the same database: libpq's variables
    /// (PostgreSQL 15, section 34.15). They hold the password: for a child process alone.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let each = |of: fn(&Config) -> String| self.hosts().iter().map(of).collect::<Vec<_>>().join(",");
        let mut variables = vec![
            ("PGHOST", each(host)),
            ("PGPORT", each(|config| config.get_ports().first().unwrap_or(&5432).to_string())),
            ("PGSSLMODE", self.ssl_mode().name().to_owned()),
            ("PGTARGETSESSIONATTRS", "read-write".to_owned()),
        ];
        if let Some(file) = self.root_certificates() {
            variables.push(("PGSSLROOTCERT", file.display().to_string()));
        }
        let Some(first) = self.hosts().first() else { return variables };
        let password = first.get_password().map(|password| String::from_utf8_lossy(password).into_owned());
        let optional = [
            ("PGUSER", first.get_user().map(str::to_owned)),
            ("PGPASSWORD", password),
            ("PGDATABASE", first.get_dbname().map(str::to_owned)),
            ("PGOPTIONS", first.get_options().map(str::to_owned)),
            ("PGAPPNAME", first.get_application_name().map(str::to_owned)),
        ];
        variables.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
        variables
    }
}

fn host(config: &Config) -> String {
    match config.get_hosts() {
        [Host::Unix(folder), ..] => folder.display().to_string(),
        [Host::Tcp(name), ..] => name.clone(),
        [] => String::new(),
    }
}

impl SslMode {
    /// Its name in URLs and variables.
    fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(database: &Postgres) -> Vec<String> {
        database.environment().into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn other_programs_find_the_same_database() {
        let url = "postgres://u:p%40ss@a,b:6432/d?sslmode=verify-full&sslrootcert=/ca.pem&options=-c%20work_mem%3D8MB";
        let told = variables(&Postgres::parse(url).expect(url).within("apart"));
        let expected = [
            "PGHOST=a,b",
            "PGPORT=5432,6432",
            "PGSSLMODE=verify-full",
            "PGTARGETSESSIONATTRS=read-write",
            "PGSSLROOTCERT=/ca.pem",
            "PGUSER=u",
            "PGPASSWORD=p@ss",
            "PGDATABASE=d",
            "PGOPTIONS=-c work_mem=8MB -c search_path=apart",
            "PGAPPNAME=apart",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_socket_is_named_by_its_folder() {
        let told = variables(&Postgres::parse("postgres:///d?host=/run/postgresql&user=u").expect("a URL"));
        assert_eq!(told.first().map(String::as_str), Some("PGHOST=/run/postgresql"));
        assert!(
            told.iter().all(|variable| !variable.starts_with("PGPASSWORD") && !variable.starts_with("PGOPTIONS")),
            "{told:?}"
        );
    }
}
