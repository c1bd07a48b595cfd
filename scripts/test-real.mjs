// npm run test:real: the contract suites against a real kube-apiserver, beside the embedded one. With KUBEWRIGHT_REAL=only
// without what `npm test` plays.
import { finish, prepare, run, runSuites } from './run-suites.mjs';

const real = process.env.KUBEWRIGHT_REAL === 'only' ? 'only' : 'required';
const filters = process.argv.slice(2);
if ((await prepare()) && (await run(process.execPath, ['tools/assets/assets.mjs'])).ok) {
  const suites = filters.length > 0 ? filters : ['test/contracts/'];
  finish(true, await runSuites('real', suites, { KUBEWRIGHT_REAL: real }));
} else {
  finish(false, { ok: false, report: undefined });
}
