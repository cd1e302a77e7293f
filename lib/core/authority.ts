/** Who a person is to a pull request. The table that says who may do what reads these words. */
export type Role =
  'author_without_write' | 'author_with_write' | 'writer' | 'maintainer' | 'bot' | 'agent' | 'other';

export type Act =
  'answer' | 'dismiss_nit' | 'dismiss_important' | 'pause' | 'override' | 'escalate' | 'command';
