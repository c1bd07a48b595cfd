import { compileRe2, type Re2 } from '@kubewright/kube/schema';
import { ClusterError } from '../../cluster-error.ts';

/** An expression of the part of PromQL that is understood here. */
export type Expression =
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | {
      readonly type: 'selector';
      readonly metric: string;
      readonly matchers: readonly Matcher[];
      /** Seconds. Absent: an instant vector. */
      readonly range?: number;
    }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | {
      readonly type: 'aggregate';
      readonly name: string;
      /** The labels that are kept, or dropped; by none all samples are one group. */
      readonly labels: readonly string[];
      readonly isWithout: boolean;
      readonly arg: Expression;
    }
  | {
      readonly type: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    };

export type Matcher = {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
  /** Of the operators `=~` and `!~`. */
  readonly pattern?: Re2;
};

const AGGREGATES: readonly string[] = ['sum', 'max', 'min', 'avg', 'count'];
const SECONDS: Readonly<Partial<Record<string, number>>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};
/** Deeper expressions are not read. */
const DEEPEST = 50;
const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?<duration>\d+[a-z]+)|(?<name>[a-zA-Z_:][\w:]*)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<mark>=~|!~|!=|[-+*/(){}[\],=]))/y;

type Token = { readonly kind: string; readonly text: string };

/** Throws `BadQuery` for what is no PromQL, or is not understood. */
export function parsePromql(query: string): Expression {
  const parser = new Parser(tokensOf(query));
  const expression = parser.sum(0);
  parser.end();
  return expression;
}

function tokensOf(query: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  const end = query.trimEnd().length;
  while (pattern.lastIndex < end) {
    const begun = pattern.lastIndex;
    const groups = pattern.exec(query)?.groups;
    if (groups === undefined) throw bad(`unexpected character at ${begun}`);
    const [kind = '', text = ''] = Object.entries(groups).find(([, value]) => value !== undefined) ?? [];
    tokens.push({ kind, text });
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  end(): void {
    const { text } = this.#peek();
    if (this.#next < this.#tokens.length) throw bad(`unexpected "${text}"`);
  }

  sum(depth: number): Expression {
    return this.#binary(['+', '-'], () => this.#binary(['*', '/'], () => this.#operand(depth)));
  }

  #binary(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand();
    while (operators.includes(this.#peek().text)) {
      const { text: operator } = this.#take();
      left = { type: 'binary', operator, left, right: operand() };
    }
    return left;
  }

  #operand(depth: number): Expression {
    if (depth > DEEPEST) throw bad('the expression is too deep');
    const { kind, text } = this.#take();
    if (kind === 'number') return { type: 'number', value: Number(text) };
    if (kind === 'text') return { type: 'text', value: unquoted(text) };
    if (text === '(') return this.#closed(this.sum(depth + 1));
    if (kind !== 'name') throw bad(text === '' ? 'unexpected end' : `unexpected "${text}"`);
    if (AGGREGATES.includes(text)) return this.#aggregate(text, depth);
    if (this.#peek().text !== '(') return this.#selector(text);
    return { type: 'call', name: text, args: this.#args(depth) };
  }

  #aggregate(name: string, depth: number): Expression {
    const before = this.#grouping();
    const [arg, ...more] = this.#args(depth);
    if (arg === undefined || more.length > 0) throw bad(`${name} takes one vector`);
    const { labels = [], isWithout = false } = before ?? this.#grouping() ?? {};
    return { type: 'aggregate', name, labels, isWithout, arg };
  }

  #grouping(): { readonly labels: readonly string[]; readonly isWithout: boolean } | undefined {
    const { text } = this.#peek();
    if (text !== 'by' && text !== 'without') return undefined;
    this.#take();
    this.#expect('(');
    return { labels: this.#list(')', () => this.#take().text), isWithout: text === 'without' };
  }

  #args(depth: number): readonly Expression[] {
    this.#expect('(');
    return this.#list(')', () => this.sum(depth + 1));
  }

  #selector(metric: string): Expression {
    const matchers = this.#peek().text === '{' ? (this.#take(), this.#list('}', () => this.#matcher())) : [];
    if (this.#peek().text !== '[') return this.#atOffset({ type: 'selector', metric, matchers });
    this.#take();
    const range = this.#duration('a range');
    this.#expect(']');
    return this.#atOffset({ type: 'selector', metric, matchers, range });
  }

  /** Nothing here has a past: what is measured is always now. */
  #atOffset(selector: Expression): Expression {
    if (this.#peek().text !== 'offset') return selector;
    this.#take();
    this.#duration('an offset');
    return selector;
  }

  /** Seconds. */
  #duration(what: string): number {
    const { kind, text } = this.#take();
    const unit = kind === 'duration' ? SECONDS[text.replace(/^\d+/, '')] : undefined;
    if (unit === undefined) throw bad(`${what} is a duration, such as 10m`);
    return Number.parseInt(text, 10) * unit;
  }

  #matcher(): Matcher {
    const label = this.#take().text;
    const operator = this.#take().text;
    const { kind, text } = this.#take();
    if (!['=', '!=', '=~', '!~'].includes(operator) || kind !== 'text') throw bad(`no matcher of "${label}"`);
    const value = unquoted(text);
    return operator.includes('~')
      ? { label, operator, value, pattern: wholeText(value) }
      : { label, operator, value };
  }

  #list<T>(close: string, item: () => T): readonly T[] {
    const items: T[] = [];
    while (this.#peek().text !== close) {
      items.push(item());
      if (this.#peek().text !== close) this.#expect(',');
    }
    this.#take();
    return items;
  }

  #closed(expression: Expression): Expression {
    this.#expect(')');
    return expression;
  }

  #expect(text: string): void {
    const found = this.#take();
    if (found.text !== text) throw bad(`expected "${text}", found "${found.text}"`);
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind === 'end') throw bad('unexpected end');
    this.#next++;
    return token;
  }
}

/** A pattern of PromQL matches whole values, and its dot also the end of a line. */
function wholeText(pattern: string): Re2 {
  const compiled = compileRe2(`^(?s:${pattern})$`);
  if (!('problem' in compiled)) return compiled;
  const message = `invalid parameter "query": "${pattern}" is no regular expression`;
  throw new ClusterError('BadQuery', `${message}: ${compiled.problem}`);
}

function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replaceAll(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character));
}

function bad(message: string): ClusterError {
  return new ClusterError('BadQuery', `invalid parameter "query": ${message}`);
}
