"""The playground: a local page that runs the real library and shows how it learns."""
