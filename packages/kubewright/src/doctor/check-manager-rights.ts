import type { Client } from '@kubewright/client';
import { authorizationv1 } from '@kubewright/kube';
import { accountUser, inParallel, MANAGER, type PolicyRule } from '@kubewright/operators';
import type { Installation, Part } from './read-installation.ts';
import { reinstall, type Result } from './result.ts';

type Right = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
};

/** Whether the manager's account may do what the parts of operators declare. */
export async function checkManagerRights(
  client: Client,
  { namespace, account, operators }: Pick<Installation, 'namespace' | 'account' | 'operators'>,
): Promise<readonly Result[]> {
  const who = `system:serviceaccount:${namespace}:${MANAGER}`;
  if (account === undefined)
    return [{ status: 'unknown', what: `there is no ${who}: the manager runs as somebody else, elsewhere` }];
  const user = accountUser(MANAGER, { namespace });
  const results = await inParallel(operators, async (operator): Promise<Result> => {
    const rights = rightsOf(operator);
    const isAllowed = await inParallel(rights, async (right) => mayDo(client, user, right));
    const missing = rights.filter((_right, index) => isAllowed[index] === false);
    if (missing.length === 0)
      return { status: 'ok', what: `${who} has the ${rights.length} rights that ${operator.name} needs` };
    const [first] = missing;
    const example = first === undefined ? '' : `${first.verb} ${nameOf(first)}`;
    const more = missing.length === 1 ? '' : `, and ${missing.length - 1} more`;
    const what = `${who} may not ${example}${more}, which ${operator.name} needs`;
    return { status: 'failed', what, fix: reinstall(namespace, [operator]) };
  });
  return results;
}

function rightsOf({ parts }: Part): readonly Right[] {
  const rights = parts.parts.flatMap(({ rules }) => rules).flatMap(rightsIn);
  return [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
}

function rightsIn({ apiGroups = [], resources = [], resourceNames, verbs }: PolicyRule): readonly Right[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) => {
      const [resource = '', subresource] = path.split('/');
      const about = { group, resource, ...(subresource === undefined ? {} : { subresource }) };
      return verbs.flatMap((verb) =>
        resourceNames === undefined
          ? [{ verb, ...about }]
          : resourceNames.map((name) => ({ verb, ...about, name })),
      );
    }),
  );
}

async function mayDo(
  client: Client,
  { username, groups }: ReturnType<typeof accountUser>,
  resourceAttributes: Right,
): Promise<boolean> {
  const { status } = await client.create(authorizationv1.subjectaccessreviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user: username, groups, resourceAttributes },
  });
  return status?.allowed === true;
}

function nameOf({ group, resource, subresource, name }: Right): string {
  const full = group === '' ? resource : `${resource}.${group}`;
  return [
    full,
    ...(subresource === undefined ? [] : [subresource]),
    ...(name === undefined ? [] : [name]),
  ].join('/');
}
