//! Documents, transactions, queries and watches of controllers and models.
