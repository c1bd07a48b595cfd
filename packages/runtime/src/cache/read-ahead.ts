/** Gets one page, the first where `page` is undefined; `onContinue` may be called with the next one's token before the end. */
type GetPage<P> = (
  page: string | undefined,
  signal: AbortSignal,
  onContinue: (token: string) => void,
) => Promise<P>;

type Asked<P> = {
  readonly page: string | undefined;
  readonly answer: Promise<P>;
  /** The page after it, once it is known. */
  next: string | undefined;
  isWanted: boolean;
};

/**
 * Asks for the page after the one that is read as soon as its token is known, so that the server works while we decode.
 * One page is ahead at most: what follows it is asked for when it is wanted itself. A page that nobody wants in the end,
 * because the one before it failed, was one call in vain.
 */
export function readAhead<P>(get: GetPage<P>): (page: string | undefined, signal: AbortSignal) => Promise<P> {
  let ahead: Asked<P> | undefined;
  const ask = (page: string | undefined, signal: AbortSignal, isWanted: boolean): Asked<P> => {
    const answer = get(page, signal, (token) => {
      asked.next = token;
      if (asked.isWanted) goOn(asked, signal);
    });
    const asked: Asked<P> = { page, answer, next: undefined, isWanted };
    return asked;
  };
  const goOn = ({ next }: Asked<P>, signal: AbortSignal): void => {
    if (next === undefined || signal.aborted) return;
    ahead = ask(next, signal, false);
    // Whoever wants the page hears of it.
    ahead.answer.catch(() => undefined);
  };
  return (page, signal) => {
    const known = page !== undefined && ahead?.page === page ? ahead : undefined;
    ahead = undefined;
    if (known === undefined) return ask(page, signal, true).answer;
    known.isWanted = true;
    goOn(known, signal);
    return known.answer;
  };
}
