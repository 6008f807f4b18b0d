"""Surveys whose noise is added on the devices of people: page, reports, and a server to try it."""
