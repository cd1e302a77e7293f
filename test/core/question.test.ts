import { checkQuestion, type AnswerEffects } from '../../lib/core/question.js';

const effects: AnswerEffects = { yes: 'suppress_finding', no: 'include_finding' };

describe('a question can be asked', () => {
  test.each([
    'Is this jQuery change required by a third-party widget?',
    'May a retry charge the same order twice?',
    'Does the partner send `not_found` for an empty list?',
    'Is the file read by the search and replace tool?',
  ])('%s', (question) => expect(checkQuestion(question, effects)).toEqual([]));
});

describe('a question is refused', () => {
  test.each([
    ['with 26 words', `Is ${'very '.repeat(24)}good?`, effects, /26 words/],
    ['without a question mark', 'Is this required by a widget', effects, /question mark/],
    ['when it is two questions', 'Is it required? By whom?', effects, /one question/],
    ['when no yes or no answers it', 'Why is this required?', effects, /yes or no/],
    ['about two facts', 'Is it required by a widget and is the widget loaded?', effects, /two facts/],
    ['when it is negative', 'Is this not required by a widget?', effects, /negative/],
    ['when it is negative in short', "Isn't this required by a widget?", effects, /negative/],
    ['about an absence', 'Does the page work without the widget?', effects, /negative/],
    [
      'when both answers do the same',
      'Is this required?',
      { yes: 'continue', no: 'continue' },
      /do the same/,
    ],
    [
      'when yes speaks against the code',
      'Is this wrong?',
      { yes: 'include_finding', no: 'continue' },
      /yes must clear/,
    ],
    ['when yes escalates', 'Is this wrong?', { yes: 'escalate', no: 'include_finding' }, /yes must clear/],
    [
      'when no clears the code',
      'Is this wrong?',
      { yes: 'continue', no: 'suppress_finding' },
      /no must speak against/,
    ],
  ] as const)('%s', (_, question, answers, reason) =>
    expect(checkQuestion(question, answers).join('\n')).toMatch(reason),
  );
});
