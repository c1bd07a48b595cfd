import { RE2JS, RE2JSSyntaxException } from 're2js';
import { KubeError } from '../../kube-error.ts';
import { programWeight } from './program-weight.ts';

/** A compiled pattern. Work grows as the text: no text makes it backtrack. */
export type Re2 = {
  /** Instructions of its program. Each character of a text takes at most about as many steps. */
  readonly size: number;
  /** Whether some part of the text matches, as `regexp.MatchString`. Throws `CostExceeded` for more than {@link MAX_STEPS}. */
  readonly test: (text: string) => boolean;
  /** The parts that match, from left to right, as `regexp.FindAllString`. Each takes as many steps as the text that is left. */
  readonly findAll: (text: string) => Iterable<{ readonly text: string; readonly end: number }>;
};

/** A pattern that is rejected, with the error text of Go's `regexp.Compile`. */
export type Re2Problem = { readonly problem: string };

/** The most steps of one look at a text: about 100 ms. */
export const MAX_STEPS = 4_000_000;
/** To compile whatever Go accepts would take seconds: this much is about 10 ms. */
const MAX_LENGTH = 5000;
const MAX_WEIGHT = 100_000;
/** What an automaton may remember, in bytes. It goes on without, where that is not enough. */
const AUTOMATON_BYTES = 64 * 1024;
/** Of all patterns that are kept, about 25 MB. Each counts as much as its automaton may, at least. */
const CACHE_WEIGHT = 500_000;
const LEAST_WEIGHT = 1000;

const cache = new Map<string, Re2 | Re2Problem>();
let cachedWeight = 0;

/** Compiles a pattern of RE2, the regular expressions of Kubernetes. */
export function compileRe2(pattern: string): Re2 | Re2Problem {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const weight = pattern.length > MAX_LENGTH ? Infinity : programWeight(pattern);
  if (weight > MAX_WEIGHT) return { problem: 'error parsing regexp: expression too large' };
  const compiled = compile(pattern);
  cachedWeight += Math.max(LEAST_WEIGHT, weight);
  if (cachedWeight > CACHE_WEIGHT) {
    cache.clear();
    cachedWeight = Math.max(LEAST_WEIGHT, weight);
  }
  cache.set(pattern, compiled);
  return compiled;
}

/** Whether {@link compileRe2} knows the pattern, so that it costs nothing to compile. */
export function isCompiled(pattern: string): boolean {
  return cache.has(pattern);
}

function compile(pattern: string): Re2 | Re2Problem {
  try {
    return re2Of(RE2JS.compile(pattern));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { problem: `error parsing regexp: ${error.getDescription()}: \`${error.getPattern() ?? ''}\`` };
  }
}

function re2Of(compiled: RE2JS): Re2 {
  const size = compiled.programSize();
  let isBounded = false;
  return {
    size,
    test(text) {
      checkSteps(size, text.length);
      if (!isBounded) boundAutomaton(compiled);
      isBounded = true;
      return compiled.test(text);
    },
    *findAll(text) {
      checkSteps(size, text.length);
      const matcher = compiled.matcher(text);
      let end = -1;
      while (matcher.find()) {
        const isEmptyAfterMatch = matcher.start() === end && matcher.end() === end;
        end = matcher.end();
        if (!isEmptyAfterMatch) yield { text: matcher.group() ?? '', end };
      }
    },
  };
}

/** By default the library lets each automaton take 8 MB, and makes states at great length before it goes on without it. */
function boundAutomaton(compiled: RE2JS): void {
  const { dfa } = compiled.re2();
  dfa.stateBudget = AUTOMATON_BYTES;
  dfa.memBudget = AUTOMATON_BYTES;
}

function checkSteps(size: number, length: number): void {
  if (size * length <= MAX_STEPS) return;
  throw new KubeError('CostExceeded', `a text of ${length} characters is too long for this pattern`);
}
