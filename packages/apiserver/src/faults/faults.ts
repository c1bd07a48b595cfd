import type { UserInfo } from '../request/user-info.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { type FaultRule, matchesRule, type ServerFault } from './fault-rule.ts';

/** The faults of a server: for tests of what calls it. */
export type Faults = {
  /** Adds a rule; the returned function takes it away. The first rule that applies to a request decides. */
  add(rule: FaultRule): () => void;
  /** Takes all rules away. */
  clear(): void;
};

export type FaultSet = Faults & {
  /** The fault of this request, which counts as seen. */
  next(info: () => RequestInfo | undefined, user: UserInfo): ServerFault | undefined;
};

type Counted = { readonly rule: FaultRule; seen: number };

export function createFaults(): FaultSet {
  let rules: readonly Counted[] = [];
  return {
    add(rule) {
      const counted = { rule, seen: 0 };
      rules = [...rules, counted];
      return () => {
        rules = rules.filter((other) => other !== counted);
      };
    },
    clear() {
      rules = [];
    },
    next(info, user) {
      const about = rules.length === 0 ? undefined : info();
      if (about === undefined) return undefined;
      const matching = rules.filter(({ rule }) => matchesRule(rule, about, user));
      for (const counted of matching) counted.seen += 1;
      return matching.find(applies)?.rule.fault;
    },
  };
}

function applies({ rule: { nth = 1, times = 1 }, seen }: Counted): boolean {
  return seen >= nth && seen < nth + times;
}
