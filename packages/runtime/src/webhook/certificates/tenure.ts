/** For how long something has been what it is, as far as this process has seen. */
export type Tenure = {
  /** Milliseconds for which the value has been this one at every look; 0 for undefined. */
  of(value: string | undefined): number;
};

/** @param now milliseconds, of a clock that nobody sets */
export function createTenure(now: () => number): Tenure {
  let known: { readonly value: string; readonly since: number } | undefined;
  return {
    of(value) {
      if (value === undefined) {
        known = undefined;
        return 0;
      }
      if (known?.value !== value) known = { value, since: now() };
      return now() - known.since;
    },
  };
}
