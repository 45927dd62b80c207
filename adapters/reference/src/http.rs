//! One request, one reply: no retry, redirect, proxy, cache or pool.

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, LINK, LOCATION};
use reqwest::{Client, Method, Url, redirect, retry};

const RETRY_AFTER: HeaderName = reqwest::header::RETRY_AFTER;

/// A request as the loop makes it, before each attempt dresses it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) token: Option<String>,
    pub(crate) body: Option<Body>,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) content_type: &'static str,
}

impl Request {
    pub(crate) fn get(url: Url) -> Self {
        Self {
            method: Method::GET,
            url,
            token: None,
            body: None,
        }
    }
}

/// A reply whose body was read to its end.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: HeaderMap,
}

impl Reply {
    /// The lines of `Retry-After`, as they came.
    pub(crate) fn retry_after(&self) -> Vec<&[u8]> {
        let lines = self.headers.get_all(RETRY_AFTER);
        lines.iter().map(|line| line.as_bytes()).collect()
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Where a redirect leads, resolved against what was asked.
    pub(crate) fn location(&self, asked: &Url) -> Option<Url> {
        if !(300..400).contains(&self.status) {
            return None;
        }
        let location = self.headers.get(LOCATION)?.to_str().ok()?;
        asked.join(location).ok()
    }

    /// The target of `rel="next"`, resolved against what was asked.
    pub(crate) fn next_page(&self, asked: &Url) -> Option<Url> {
        let lines = self.headers.get_all(LINK).iter();
        let mut links = lines.filter_map(|line| line.to_str().ok()).flat_map(links);
        let (target, _) = links.find(|(_, relations)| {
            relations
                .split_ascii_whitespace()
                .any(|relation| relation.eq_ignore_ascii_case("next"))
        })?;
        asked.join(target).ok()
    }
}

/// Targets and relations of one `Link` line: `<url>; rel="next", <url>; …`.
fn links(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split('<').skip(1).filter_map(|link| {
        let (target, parameters) = link.split_once('>')?;
        let relations = parameters.split([';', ',']).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let is_relation = name.trim().eq_ignore_ascii_case("rel");
            is_relation.then(|| value.trim().trim_matches('"'))
        })?;
        Some((target, relations))
    })
}

/// Why there is no reply.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    Transport(String),
    Timeout,
}

/// The HTTP client of one case.
#[derive(Clone, Debug)]
pub(crate) struct Transport(Client);

impl Transport {
    /// # Errors
    /// If the HTTP client cannot be built on this computer.
    pub(crate) fn new() -> Result<Self, reqwest::Error> {
        Client::builder()
            .user_agent(concat!("holdoff-reference/", env!("CARGO_PKG_VERSION")))
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .http1_only()
            .pool_max_idle_per_host(0)
            .build()
            .map(Self)
    }

    /// Sends the request and reads the whole reply; its body is dropped.
    pub(crate) async fn send(&self, request: Request) -> Result<Reply, Failure> {
        let failed = |error: reqwest::Error| Failure::Transport(in_full(&error));
        let mut builder = self.0.request(request.method, request.url);
        if let Some(token) = request.token {
            builder = builder.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(body) = request.body {
            builder = builder
                .header(CONTENT_TYPE, body.content_type)
                .body(body.bytes);
        }
        let mut response = builder.send().await.map_err(failed)?;
        let reply = Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
        };
        while response.chunk().await.map_err(failed)?.is_some() {}
        Ok(reply)
    }
}

/// The error with its causes: reqwest's own words stop at the first.
fn in_full(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, name: HeaderName, value: &str) -> Reply {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        Reply { status, headers }
    }

    #[test]
    fn the_next_page_is_found_among_other_links() {
        let asked = Url::parse("http://127.0.0.1:1/c/lists/7").unwrap();
        let next = |line| {
            let url = reply(200, LINK, line).next_page(&asked)?;
            Some(url.to_string())
        };
        let page_2 = Some("http://127.0.0.1:1/c/lists/7?page=2".to_owned());
        assert_eq!(
            next("<http://127.0.0.1:1/c/lists/7?page=2>; rel=\"next\""),
            page_2
        );
        assert_eq!(next("</a>; rel=\"prev\", <?page=2>; rel=next"), page_2);
        assert_eq!(next("<?page=2>; title=x; rel=\"last next\""), page_2);
        assert_eq!(next("<?page=2>; rel=\"prev\""), None);
        assert_eq!(next("?page=2; rel=\"next\""), None);
    }

    #[test]
    fn only_a_redirect_leads_elsewhere() {
        let asked = Url::parse("http://127.0.0.1:1/c/blobs/7").unwrap();
        let location = |status| reply(status, LOCATION, "/signed").location(&asked);
        assert_eq!(location(302).unwrap().path(), "/signed");
        assert_eq!(location(200), None);
        assert_eq!(location(503), None);
    }
}
