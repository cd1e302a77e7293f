import { type Changes, type DemoStory, replaced } from './demo-story.js';

/** A commit that somebody may push to the branch of a story while it is shown. */
export type DemoPush = {
  /** What the button says. */
  readonly label: string;
  readonly message: string;
  readonly changes: Changes;
};

/**
 * What one may push to "Promo box and refunds": its mistakes mended on the lines where they were found, the promo box
 * rendered by React, and one more mistake. Each can be pushed at any time, also twice.
 */
export function demoPushes(story: DemoStory): readonly DemoPush[] {
  const base = story.baseFiles();
  const head = { ...base, ...story.headChanges() };
  const edited = (path: string, ...edits: readonly (readonly [from: string, to: string])[]): string =>
    edits.reduce((text, [from, to]) => replaced(text, from, to), head[path] ?? '');
  const key = /refundKey: '[^']*'/.exec(head['config/payments.ts'] ?? '')?.[0] ?? 'refundKey';
  const guard = 'src/cart/validate.ts';
  const total = 'src/cart/total.ts';
  return [
    {
      label: 'Push a fix',
      message: 'Read the refund key from the environment, refund once, let old callers refund as before',
      changes: {
        'config/payments.ts': edited('config/payments.ts', [
          key,
          "refundKey: process.env['REFUND_KEY'] ?? ''",
        ]),
        'src/billing/refund.ts': edited(
          'src/billing/refund.ts',
          ['if (!order.refunded) {', 'if (order.refunded) {'],
          ['amount: number, reason: string)', "amount: number, reason = 'refund')"],
        ),
        [total]: edited(total, ['(sum, line) => sum + line)', '(sum, line) => sum + line, 0)']),
        [guard]: base[guard] ?? '',
      },
    },
    {
      label: 'Push the promo box without jQuery',
      message: 'Let React render what the campaign tool sends',
      changes: {
        'src/widgets/Promo.tsx': edited(
          'src/widgets/Promo.tsx',
          [
            "import $ from 'jquery';\nimport { useEffect, useState } from 'react';",
            "import { useState } from 'react';",
          ],
          [
            "  useEffect(() => {\n    if (content === undefined) return;\n    $('#promo').html(content);\n  }, [content]);\n\n",
            '',
          ],
          ['  /** Markup from the campaign tool. */', '  /** Text from the campaign tool. */'],
          [
            '      {shown && offers',
            '      {content !== undefined && <p>{content}</p>}\n      {shown && offers',
          ],
        ),
      },
    },
    {
      label: 'Push a new bug',
      message: 'Leave empty carts to the page',
      changes: {
        [total]: head[total] ?? '',
        [guard]: edited(guard, [
          "  // An order without items cannot be shipped, charged or refunded.\n  if (cart.items.length === 0) throw new CartError('the cart is empty');\n",
          '',
        ]),
      },
    },
  ];
}
