use std::collections::BTreeMap;

use crate::model::{Exchange, ExchangeKind, Span};

/// The exchanges of one case that were not taken yet.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    exchanges: BTreeMap<u32, Exchange>,
    next_exchange: u32,
    connections: u32,
}

impl Ledger {
    /// Numbers a connection, from 1.
    pub(super) fn connect(&mut self) -> u32 {
        self.connections += 1;
        self.connections
    }

    /// Enters a request whose first byte has arrived, and numbers it.
    pub(super) fn begin(&mut self, at: Span, connection: u32) -> (u32, Exchange) {
        let exchange = Exchange {
            at,
            connection,
            call: None,
            kind: ExchangeKind::Partial,
            method: String::new(),
            path: String::new(),
            query: String::new(),
            headers: Vec::new(),
            body: String::new(),
            body_digest: String::new(),
            body_len: 0,
            step: None,
            meant_for: None,
            status: None,
            reply_headers: Vec::new(),
            replied_at: None,
        };
        let number = self.next_exchange;
        self.next_exchange += 1;
        self.exchanges.insert(number, exchange.clone());
        (number, exchange)
    }

    /// Enters what is known of a request by now, even if an earlier state of it
    /// was taken: it is late traffic then.
    pub(super) fn put(&mut self, number: u32, exchange: Exchange) {
        self.exchanges.insert(number, exchange);
    }

    /// Changes an exchange that was not taken yet.
    pub(super) fn edit(&mut self, number: u32, change: impl FnOnce(&mut Exchange)) {
        if let Some(exchange) = self.exchanges.get_mut(&number) {
            change(exchange);
        }
    }

    /// The exchanges by now, in the order of their first bytes.
    pub(super) fn all(&self) -> Vec<Exchange> {
        self.exchanges.values().cloned().collect()
    }

    /// Takes the exchanges away.
    pub(super) fn take(&mut self) -> Vec<Exchange> {
        std::mem::take(&mut self.exchanges).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_keep_the_order_of_their_first_bytes() {
        let mut ledger = Ledger::default();
        let (first, _) = ledger.begin(Span::from_secs(1), 1);
        let (second, mut whole) = ledger.begin(Span::from_secs(2), 2);
        whole.method = "GET".into();
        ledger.put(second, whole);
        ledger.edit(first, |exchange| exchange.status = Some(200));
        let all = ledger.take();
        assert_eq!(all[0].status, Some(200));
        assert_eq!(all[1].method, "GET");
        assert!(ledger.all().is_empty());
    }

    #[test]
    fn what_was_taken_is_not_changed_any_more() {
        let mut ledger = Ledger::default();
        let (number, _) = ledger.begin(Span::ZERO, 1);
        ledger.take();
        ledger.edit(number, |exchange| exchange.status = Some(200));
        assert!(ledger.all().is_empty());
    }
}
