// A container that serves HTTP, for tests: it is ready when `/begin` was called, and `/whoami` is who it is for the API server.
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { createClient, createTransport, findContext } from '@kubewright/client';
import { authenticationv1 } from '@kubewright/kube';

let isReady = false;

async function whoami() {
  const { options } = await findContext();
  const transport = createTransport(options);
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const { status } = await createClient(transport).create(authenticationv1.selfsubjectreviews, review);
  await transport.close();
  return status.userInfo.username;
}

const server = createServer(({ url, headers }, response) => {
  if (url === '/begin') isReady = true;
  if (url === '/ready' && !isReady) response.statusCode = 503;
  if (url === '/whoami')
    whoami().then(
      (name) => response.end(name),
      (error) => response.end(String(error)),
    );
  else response.end(`${hostname()} ${headers.host} ${url}`);
});
server.listen(8080, () => console.log('listens on', server.address().port));
const second = createServer();
second.on('error', ({ code }) => console.log('the second one gets', code));
server.on('listening', () => second.listen(8080));
process.once('SIGTERM', () => process.exit(0));
