/** A number in [0, 1). Injected wherever randomness is needed, so that the simulation controls it. */
export type Random = () => number;

/** The real one. */
export const systemRandom: Random = () => Math.random();
