type SelectorTokenType =
  | 'end'
  | 'error'
  | 'word'
  | '('
  | ')'
  | ','
  | '!'
  | '='
  | '=='
  | '!='
  | '>'
  | '<'
  | 'in'
  | 'notin';

export type SelectorToken = { readonly type: SelectorTokenType; readonly text: string };

/** Longest operators first. A NUL parts tokens, and ends the text where a token should begin, as in Go's lexer. */
const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!()<>,])|([^ \t\r\n=!()<>,\0]+))\0?/y;

/** Splits a label selector into tokens, the last of which is always `end`. */
export function tokenizeLabelSelector(text: string): SelectorToken[] {
  const tokens: SelectorToken[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [, symbol, word = ''] = match;
    if (symbol !== undefined) tokens.push({ type: symbol as SelectorTokenType, text: symbol });
    else tokens.push({ type: word === 'in' || word === 'notin' ? word : 'word', text: word });
  }
  return [...tokens, { type: 'end', text: '' }];
}
