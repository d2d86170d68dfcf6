"""Scenes in a browser, by viser; only this machine can reach the page. Needs the extra `viewer`."""
