//! One rule that is looked at.

use database::Way;
use domain::{Error, Result};

use super::{Finding, MOST, cause, rows::Rows};
use crate::Reader;

/// A rule, as questions to the database.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// What it belongs to.
    pub(crate) check: &'static str,
    /// What it looks at.
    pub(crate) place: String,
    pub(crate) question: Question,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// Every row of the answer is a place and a problem, both texts.
    Problems(String),
    /// Every row that cannot be read is a problem.
    Rows(Rows),
    /// Two ways to one number, or several as one text.
    Same([Way; 2]),
}

impl From<database::Probe> for Probe {
    fn from(database::Probe { check, place, question }: database::Probe) -> Self {
        let question = match question {
            database::Question::Problems(sql) => Question::Problems(sql),
            database::Question::Same(ways) => Question::Same(ways),
        };
        Self { check, place, question }
    }
}

impl Probe {
    /// What it finds.
    ///
    /// # Errors
    /// Whatever keeps it from being answered; the transaction may have ended with that.
    pub(crate) async fn look(&self, reader: &mut Reader) -> Result<Vec<Finding>> {
        match &self.question {
            Question::Problems(sql) => {
                let sql = format!("SELECT place, problem FROM ({sql}) AS found ORDER BY place, problem LIMIT {}", MOST + 1);
                let found = reader.query_map(&sql, &[], |row| Ok((row.string(0)?, row.string(1)?))).await?;
                Ok(self.findings(found))
            }
            Question::Rows(rows) => Ok(self.findings(rows.unreadable(reader).await?)),
            Question::Same([one, other]) => {
                let (one, other) = (answer(reader, one).await?, answer(reader, other).await?);
                let problem = || format!("it has {one}, and its table {other}");
                Ok((one != other).then(|| self.finding(self.place.clone(), problem())).into_iter().collect())
            }
        }
    }

    /// As [`Probe::look`], where a failure is a finding and the snapshot stays.
    ///
    /// # Errors
    /// When the snapshot itself is lost.
    pub(crate) async fn look_anyway(&self, reader: &mut Reader) -> Result<Vec<Finding>> {
        mark(reader).await?;
        let looked = self.look(reader).await;
        go_back(reader).await?;
        Ok(looked.unwrap_or_else(|error| vec![self.finding(self.place.clone(), format!("it cannot be read: {}", cause(&error)))]))
    }

    /// What was found, cut to what is told.
    fn findings(&self, mut found: Vec<(String, String)>) -> Vec<Finding> {
        if found.len() > MOST {
            found.truncate(MOST);
            found.push((self.place.clone(), "there is more of this".to_owned()));
        }
        found.into_iter().map(|(place, problem)| self.finding(place, problem)).collect()
    }

    fn finding(&self, place: String, problem: String) -> Finding {
        Finding { check: self.check, place, problem }
    }
}

/// Marks where [`go_back`] leads: before a failure, and before settings that were made for one question.
pub(super) async fn mark(reader: &mut Reader) -> Result<()> {
    reader.connection.execute("SAVEPOINT look", &[]).await?;
    Ok(())
}

pub(super) async fn go_back(reader: &mut Reader) -> Result<()> {
    reader.connection.execute("ROLLBACK TO SAVEPOINT look", &[]).await?;
    reader.connection.execute("RELEASE SAVEPOINT look", &[]).await?;
    Ok(())
}

async fn answer(reader: &mut Reader, way: &Way) -> Result<String> {
    for statement in way.setup {
        reader.connection.execute(statement, &[]).await?;
    }
    reader.query_one(&way.query, &[], |row| row.string(0)).await?.ok_or_else(|| Error::internal("no row"))
}
