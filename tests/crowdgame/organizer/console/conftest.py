from tests.voting.consoles import console, cookie, made

__all__ = ["console", "cookie", "made"]
