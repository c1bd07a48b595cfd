import { KubewrightError } from '../kubewright-error.ts';

/** The flags of a Go program, besides `help` and `version`. */
export type GoFlags = {
  /** Those that need no value. */
  readonly switches: readonly string[];
  readonly values: readonly string[];
};

/** What was given for each flag, in order. */
export type GivenFlags = {
  /** The last value of a flag. */
  last(name: string): string | undefined;
  /** All values of a flag that may be repeated, or separated by commas. */
  all(name: string): readonly string[];
};

/**
 * Reads `--name=value`, `--name value`, `--switch` and `-v=2` as Go's pflag does. Throws `Usage` for a flag that the
 * program does not have.
 */
export function readGoFlags(args: readonly string[], { switches, values }: GoFlags): GivenFlags {
  const known = new Map(values.map((name) => [name, 'value']));
  for (const name of [...switches, 'help', 'version']) known.set(name, 'switch');
  const given: (readonly [string, string])[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const { name, value } = flagIn(args[at] ?? '');
    const kind = known.get(name);
    if (kind === undefined) throw new KubewrightError('Usage', `unknown flag: --${name}`);
    if (value !== undefined) given.push([name, value]);
    else if (kind === 'switch') given.push([name, 'true']);
    else given.push([name, valueOf(name, args[(at += 1)])]);
  }
  const all = (name: string): readonly string[] =>
    given.flatMap(([flag, value]) => (flag === name ? value.split(',') : []));
  return { all, last: (name) => given.findLast(([flag]) => flag === name)?.[1] };
}

function flagIn(arg: string): { readonly name: string; readonly value: string | undefined } {
  const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
  if (name === undefined) throw new KubewrightError('Usage', `unexpected argument: ${arg}`);
  return { name, value };
}

function valueOf(name: string, next: string | undefined): string {
  if (next === undefined) throw new KubewrightError('Usage', `flag needs an argument: --${name}`);
  return next;
}
