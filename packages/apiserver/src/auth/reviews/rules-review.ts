import type { JsonObject } from '@kubewright/kube';
import { specOf, stringAt } from '../../objects/read.ts';
import type { ReviewHandler } from './review-handler.ts';
import { badRequest } from '../../api-server-error.ts';
import { type PolicyRule, ruleObject } from '../rbac/policy-rule.ts';
import { missingRoles } from '../rbac/rbac-authorizer.ts';
import { rulesFor, type RuleResolver } from '../rbac/rule-resolver.ts';

/** SelfSubjectRulesReview: what the sender may do in a namespace. */
export function rulesReview({ resolver }: { readonly resolver: RuleResolver }): ReviewHandler {
  return ({ user }, { apiVersion, kind, ...review }) => {
    const namespace = stringAt(specOf({ apiVersion, kind, ...review }), 'namespace');
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, dangling } = rulesFor(resolver, user, namespace);
    const status: JsonObject = {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(resourceRule),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(pathRule),
      incomplete: false,
      ...(dangling.length === 0 ? {} : { evaluationError: missingRoles(dangling) }),
    };
    return { kind, apiVersion, metadata: {}, spec: {}, status };
  };
}

function resourceRule(rule: PolicyRule): JsonObject {
  return ruleObject({ ...rule, nonResourceURLs: [] });
}

function pathRule({ verbs, nonResourceURLs }: PolicyRule): JsonObject {
  return { verbs, nonResourceURLs };
}
