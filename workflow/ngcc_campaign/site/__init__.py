"""The site: the report's pages as HTML in English and Chinese, with plots, from what the Markdown pages are made from."""
