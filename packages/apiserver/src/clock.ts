/** Time as the server sees it; injected so that a simulation owns it. */
export type ServerClock = {
  readonly now: () => Date;
  /** Calls back once after `ms`; the returned function cancels. Does not keep a process alive. */
  readonly schedule: (ms: number, callback: () => void) => () => void;
};

export const systemClock: ServerClock = {
  now: () => new Date(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
