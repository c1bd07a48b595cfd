import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import template from '../packages/kubewright/templates/operator/package.json' with { type: 'json' };
import { createProgram } from '../packages/kubewright/src/cli/create-program.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'templates']);

/** What readers have, or are told to install; and the verbs that pages may show of it, where not all. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'apt-get': ['install'],
  cd: [],
  helm: [],
  kubectl: [],
  nats: [],
  npm: ['ci', 'install', 'run', 'start', 'test'],
  npx: ['vitest'],
  python3: [],
  '$KUBEBUILDER_ASSETS/kube-apiserver': [],
};

function pagesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : pagesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

type Written = { readonly page: string; readonly command: string; readonly isBlock: boolean };

/** The commands of a page: lines of blocks for a shell, and code in the text that begins with our own. */
function commandsOf(path: string): readonly Written[] {
  const text = readFileSync(path, 'utf8');
  const page = relative(ROOT, path);
  const blocks = [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)];
  const inBlocks = blocks.flatMap(([, language, block = '']) => {
    const lines = linesOf(block).filter((line) => language === 'sh' || (isOurs(line) && !SYNTAX.test(line)));
    return lines.map((command) => ({ page, command, isBlock: true }));
  });
  const prose = text.replaceAll(/^ *```.*?^ *```$/gms, '');
  const codes = [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].flatMap(([, code = '']) => linesOf(code));
  const inText = codes.filter((code) => isOurs(code) && !SYNTAX.test(code));
  return [...inBlocks, ...inText.map((command) => ({ page, command, isBlock: false }))];
}

/** A variable that is set, to what a command prints or to a text. */
const ASSIGNED = /^(?:export )?\w+=(?:\$\(([^)]*)\)|\S*)$/;

/** The commands of a block, without comments, and without what is given to one on its standard input. */
function linesOf(block: string): readonly string[] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/<<'?(\w+)'?\n.*?^ *\1$/gms, '')
    .split('\n')
    .flatMap((line) =>
      line
        .replace(/(?:^|\s+)#.*/, '')
        .replace(ASSIGNED, '$1')
        .split(/&&|\|(?=\s)|;(?=\s)/),
    )
    .map((command) => command.trim())
    .filter((command) => command !== '');
}

const OURS = /^(?:npx )?kubewright (?=[a-z-])|^kubectl wright (?=[a-z-])/;
const isOurs = (command: string): boolean => OURS.test(command);

/** Code that shows the syntax of a command, or some of it. */
const SYNTAX = /[[\]…<>]|\\\|/;
/** A text may name a command without what it needs, and a name for what is put there. */
const MENTIONED = /missing required argument|argument missing|not specified|value '[A-Z]+' is invalid/;

/** A command as a shell splits it. */
const wordsOf = (command: string): readonly string[] =>
  [...command.replace(/\s[<>]+\s*\S+/g, '').matchAll(/(?:"[^"]*"|'[^']*'|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/["']/g, ''),
  );

/** What the command line says of it without running it; undefined if it would run. */
async function faultOf(words: readonly string[]): Promise<string | undefined> {
  let said = '';
  const terminal = { out: () => {}, err: (text: string) => void (said += text), colour: false, env: {} };
  const { signal } = new AbortController();
  const program = createProgram({ ...terminal, cwd: '/', signal }, words[0]);
  const runNothing = (command: ReturnType<typeof createProgram>): void => {
    command.action(() => {});
    command.commands.forEach(runNothing);
  };
  program.commands.forEach(runNothing);
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if ((error as { readonly exitCode?: number }).exitCode === 0) return undefined;
    return said === '' ? String(error) : said.trim();
  }
}
const all = pagesIn(ROOT).flatMap(commandsOf);

test('each command of ours in the documentation is one that the command line takes', async () => {
  const faults = [];
  for (const { page, command, isBlock } of all.filter((one) => isOurs(one.command))) {
    const fault = await faultOf(wordsOf(command.replace(OURS, '')));
    if (fault !== undefined && (isBlock || !MENTIONED.test(fault)))
      faults.push(`${page}: ${command}\n    ${fault}`);
  }
  expect(faults.join('\n')).toBe('');
});

test('all else in blocks for a shell is a script of ours, or a program of others', () => {
  const faults = all
    .filter(({ isBlock, command }) => isBlock && !isOurs(command))
    .filter(({ command }) => {
      const [program = '', verb = ''] = command.replace(/^(?:\w+=\S+ )+/, '').split(' ');
      const known = KNOWN[program];
      return known === undefined || (known.length > 0 && !known.includes(verb));
    });
  expect(faults.map(({ page, command }) => `${page}: ${command}`)).toEqual([]);
});

test('each script of npm that the documentation names is there', () => {
  const scripts = new Set([...Object.keys(manifest.scripts), ...Object.keys(template.scripts)]);
  const named = pagesIn(ROOT).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bnpm run (?:-{1,2}\w+ )*([a-z][\w:-]*)/g)].map(
      ([, name = '']) => ({
        page: relative(ROOT, path),
        name,
      }),
    ),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !scripts.has(name))).toEqual([]);
});
