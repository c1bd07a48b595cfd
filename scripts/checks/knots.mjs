// Finds circles of imports. At each level of a package its entries, files and folders, are the units, and an import between
// two of them is an edge: imports of types count, tests and `testing/` do not. A strongly connected component of more than one unit is a
// knot. A circle of files is always one: at the level where the paths of its files part.
import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { ROOT, isTest, moduleRequests } from './sources.mjs';

/** @returns {string[][]} the strongly connected components of more than one node (Tarjan) */
function components(graph) {
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const found = [];
  function visit(node) {
    order.set(node, order.size);
    lowest.set(node, order.get(node));
    open.push(node);
    for (const next of graph.get(node).keys()) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(node, Math.min(lowest.get(node), lowest.get(next)));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const component = open.splice(open.indexOf(node));
    if (component.length > 1) found.push(component);
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** The import as an edge: at which level the two paths part, and between which units. */
function edge(from, to) {
  const [source, target] = [from.split('/'), to.split('/')];
  const parts = source.findIndex((name, at) => name !== target[at]);
  return { level: source.slice(0, parts).join('/'), source: source[parts], target: target[parts] };
}

function* importedFiles(source) {
  for (const { value } of moduleRequests(source)) {
    if (!value.startsWith('.')) continue;
    const path = resolve(dirname(source.path), value);
    const file = relative(ROOT, path).split(sep).join('/');
    if (file !== source.file && !isTest(file) && existsSync(path)) yield file;
  }
}

/** @returns {Map<string, Map<string, Map<string, string[]>>>} level → unit → unit that it imports → those imports */
function levels(sources) {
  const found = new Map();
  const inner = (map, key, empty) => map.get(key) ?? map.set(key, empty).get(key);
  for (const source of sources) {
    for (const file of importedFiles(source)) {
      const { level, source: unit, target } = edge(source.file, file);
      const graph = inner(found, level, new Map());
      inner(graph, target, new Map());
      inner(inner(graph, unit, new Map()), target, []).push(`${source.file} imports ${file}`);
    }
  }
  return found;
}

/** @returns {{ level: string, units: string[], edges: { from: string, to: string, imports: string[] }[] }[]} */
export function knots(sources) {
  const counted = sources.filter(({ file }) => !isTest(file));
  return [...levels(counted)].flatMap(([level, graph]) =>
    components(graph).map((units) => ({
      level,
      units,
      edges: units.flatMap((from) =>
        [...graph.get(from)]
          .filter(([to]) => units.includes(to))
          .map(([to, imports]) => ({ from, to, imports: [...new Set(imports)] })),
      ),
    })),
  );
}

/** Those edges first that have the fewest imports: there a knot comes apart most easily. */
export function knotLines({ level, units, edges }) {
  const ordered = edges.toSorted((one, other) => one.imports.length - other.imports.length);
  return [
    `${level}: ${units.length} import each other in a circle: ${units.join(', ')}`,
    ...ordered.flatMap(({ from, to, imports }) => [
      `  ${from} → ${to} (${imports.length})`,
      ...imports.slice(0, 3).map((line) => `    ${line}`),
    ]),
  ];
}
