/** Gets one page, the first where `page` is undefined; `onContinue` may be called with the next one's token before the end. */
type GetPage<P> = (
  page: string | undefined,
  signal: AbortSignal,
  onContinue: (token: string) => void,
) => Promise<P>;

type PageRequest<P> = {
  readonly page: string | undefined;
  readonly response: Promise<P>;
  /** The page after it, once it is known. */
  next: string | undefined;
  isWanted: boolean;
};

/**
 * Requests the next page of a list as soon as its continue token is known, while the current page is still being decoded.
 * At most one page is ahead. A request is wasted when the page before it fails.
 */
export function readAhead<P>(get: GetPage<P>): (page: string | undefined, signal: AbortSignal) => Promise<P> {
  let ahead: PageRequest<P> | undefined;
  const request = (page: string | undefined, signal: AbortSignal, isWanted: boolean): PageRequest<P> => {
    const response = get(page, signal, (token) => {
      requested.next = token;
      if (requested.isWanted) requestNext(requested, signal);
    });
    const requested: PageRequest<P> = { page, response, next: undefined, isWanted };
    return requested;
  };
  const requestNext = ({ next }: PageRequest<P>, signal: AbortSignal): void => {
    if (next === undefined || signal.aborted) return;
    ahead = request(next, signal, false);
    // The caller that awaits the page gets the error.
    ahead.response.catch(() => undefined);
  };
  return (page, signal) => {
    const known = page !== undefined && ahead?.page === page ? ahead : undefined;
    ahead = undefined;
    if (known === undefined) return request(page, signal, true).response;
    known.isWanted = true;
    requestNext(known, signal);
    return known.response;
  };
}
