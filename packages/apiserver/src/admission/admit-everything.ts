import type { Admission } from './admission.ts';

/** Changes nothing and lets everything pass. */
export const admitEverything: Admission = {
  // oxlint-disable-next-line require-yield -- nobody is asked
  *mutate({ object }) {
    return object;
  },
  *validate() {},
};
