/** A number in [0, 1). Injected wherever chance is wanted, so that the simulation owns it. */
export type Random = () => number;

/** The real one. */
export const systemRandom: Random = () => Math.random();
