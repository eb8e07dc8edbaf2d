"""The site: the report's pages as HTML, in English and Chinese and with plots."""
