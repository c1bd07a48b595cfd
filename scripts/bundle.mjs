// Bundles what the command line runs: Node reads a few files at its start in place of a thousand, and the package that is
// published needs no other.
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(ROOT, 'packages/kubewright/dist/bundle');

rmSync(OUT, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: {
    main: 'packages/kubewright/src/cli/main.ts',
    // What containers of demos run, as threads.
    'demo-consumer': 'packages/operators/src/migration/demo/consumer.ts',
  },
  outdir: OUT,
  bundle: true,
  // A command's code stays apart from the others', and is read when it runs.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['@kubewright/source'],
  // Modules first: of a library in CommonJS, all of it would be loaded.
  mainFields: ['module', 'main'],
  // The library's build for browsers: the one for Node looks at an environment variable for each token, which takes a fifth of
  // the time, and where that is set prints what it reads, a token of a kubeconfig too.
  alias: { yaml: join(ROOT, 'node_modules/yaml/browser/dist/index.js') },
  // Libraries in CommonJS ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  // Half the bytes on the disk of a node. Stack traces keep the names of functions, and lines
  // stay short, because Node prints the line of an error that nothing catches.
  minify: true,
  keepNames: true,
  lineLimit: 160,
  // All of LICENSES.txt comes along.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

/** What packages read or start by its name comes along, beside the code that names it. */
function bundleNamed() {
  for (const output of Object.keys(metafile.outputs)) {
    const path = join(ROOT, output);
    const text = readFileSync(path, 'utf8');
    const local = text
      .replaceAll(/"@kubewright\/([a-z]+)\/(data\/[\w-]+\.json)"/g, (_, name, file) => {
        copyFileSync(join(ROOT, 'packages', name, file), join(OUT, basename(file)));
        return `"./${basename(file)}"`;
      })
      .replaceAll('"@kubewright/operators/demo-consumer"', '"./demo-consumer.js"');
    if (local !== text) writeFileSync(path, local);
  }
}
bundleNamed();

/** The licenses of the libraries, each text once below the names of all that have it. */
function licenses() {
  const paths = Object.keys(metafile.inputs);
  const libraries = paths.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const names = new Map();
  for (const name of [...new Set(libraries)].toSorted()) {
    const folder = join(ROOT, 'node_modules', name);
    const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n\n');
    const key = text.replaceAll(/\s+$/gm, '').trim();
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return [...names].map(([text, ofText]) => `${ofText.join('\n')}\n\n${text}`);
}
writeFileSync(join(OUT, 'LICENSES.txt'), licenses().join('\n\n---\n\n'));

/** What the program prints without a command, as wide as most terminals are: for that, bin/kubewright.mjs loads nothing. */
async function writeTexts() {
  const { runCommand } = await import(pathToFileURL(join(OUT, 'main.js')).href);
  const { signal } = new AbortController();
  const write = async (name, flag, width) => {
    let text = '';
    const out = (part) => void (text += part);
    const terminal = { out, err: out, width, colour: false, env: {}, cwd: ROOT, signal };
    if ((await runCommand([flag], terminal)) !== 0) throw new Error(text);
    writeFileSync(join(OUT, name), text);
  };
  await write('version.txt', '--version', 80);
  for (const width of [80, 100]) await write(`help-${width}.txt`, '--help', width);
}
await writeTexts();
