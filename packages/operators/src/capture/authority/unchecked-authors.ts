import { type Client, ignoreNotFound } from '@kubewright/client';
import { admissionregistrationv1 } from '@kubewright/kube';
import { CONFIGURATION } from './author-webhooks.ts';

/** What people have to know of a cluster on which nobody has installed the webhook that checks authors. */
export async function uncheckedAuthors(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const { validatingwebhookconfigurations } = admissionregistrationv1;
  const found = await ignoreNotFound(
    client.get(validatingwebhookconfigurations, { name: CONFIGURATION }, { signal }),
  );
  return found === undefined ? UNCHECKED : undefined;
}

const UNCHECKED =
  'capture does not check what the authors of requests may do: no API server calls its webhook in this process, so whoever may create requests gets what they capture. To have authors checked, run it in the cluster: kubewright install --operators capture | kubectl apply -f -';
