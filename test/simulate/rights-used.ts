/** A call in the trace of a world: its method and path. */
const CALL = /^\d+ operator\S* #\d+ ([A-Z]+) (\/\S*)/;
/** Its group, resource, name and subresource. */
const PATH = /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/[^/]+\/)?(\w+)(?:\/([^/]+))?(\/\w+)?$/;

const VERBS: Readonly<Record<string, readonly string[]>> = {
  POST: ['create'],
  PUT: ['update'],
  // What is applied is created where it is not there.
  PATCH: ['patch', 'create'],
  DELETE: ['delete'],
};

/** The rights that an operator used in a world, such as `get deployments/scale.apps`, by its trace. */
export function rightsUsed(trace: readonly string[]): ReadonlySet<string> {
  return new Set(
    trace.flatMap((line) => {
      const [, method = '', path = ''] = CALL.exec(line) ?? [];
      return rightsOf(method, path);
    }),
  );
}

function rightsOf(method: string, pathAndQuery: string): readonly string[] {
  const [path = '', query = ''] = pathAndQuery.split('?');
  const [, group, resource, name, subresource = ''] = PATH.exec(path) ?? [];
  if (resource === undefined) return [];
  const target = `${resource}${subresource}${group === undefined ? '' : `.${group}`}`;
  const verbs = method === 'GET' ? readVerbs(name, query) : (VERBS[method] ?? []);
  return verbs.map((verb) => `${verb} ${target}`);
}

function readVerbs(name: string | undefined, query: string): readonly string[] {
  if (name !== undefined) return ['get'];
  return query.includes('watch=') ? ['watch'] : ['list'];
}
