import type { Installation } from './installation.ts';

/** What an attack came to, as far as it knows itself. The installation adds exits, delays and memory. */
export type Damage = {
  /** Requests, bytes, objects or commands that were tried. */
  readonly inputs: number;
  /** What came true although nobody with the right to it wanted it: forged effects, secrets that were found. A line each. */
  readonly effects?: readonly string[];
};

/** Something that a pod, an editor of a namespace or a tired person can do. */
export type Attack = {
  /** In kebab-case; that of its file. */
  readonly name: string;
  /** One sentence, in the present tense: who does what. */
  readonly about: string;
  /** Environment of the manager, for example settings of an operator. */
  readonly env?: Readonly<Record<string, string>>;
  /** Scripts of containers that the cluster runs, by image. */
  readonly images?: Readonly<Record<string, string>>;
  /** It is played only when it is named: it takes minutes. The second client is not judged: a manager that is dead serves nobody. */
  readonly isLong?: true;
  /**
   * Milliseconds that somebody else may have to wait: more than the 250 of the others where who attacks has rights to what takes
   * long.
   */
  readonly maxDelayMs?: number;
  /** An attack on commands needs neither cluster nor manager. Default true. */
  readonly needsInstallation?: boolean;
  /**
   * Plays it, bounded in count and time, on loopback only. Resolves when its effects would have shown. It rejects where the installation
   * did not do what it should: the message is printed.
   */
  play(installation: Installation): Promise<Damage>;
};

/** Whether only the short form is played, as `.ci/run` does: fewer inputs of the same kinds. */
export const isShort = process.argv.includes('--short');

/** `many` inputs, or the tenth part of them in the short form. */
export function inputs(many: number): number {
  return isShort ? Math.ceil(many / 10) : many;
}
