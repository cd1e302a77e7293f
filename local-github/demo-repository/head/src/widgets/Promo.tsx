import $ from 'jquery';
import { useEffect, useState } from 'react';
import { isOn } from '../flags.js';
import { Header } from './Header.js';

type Props = {
  readonly offers: readonly string[];
  /** Markup from the campaign tool. */
  readonly content?: string;
};

/** The box with this week's offers. */
export function Promo({ offers, content }: Props) {
  const [shown, setShown] = useState(true);

  useEffect(() => {
    if (content === undefined) return;
    $('#promo').html(content);
  }, [content]);

  if (!isOn('promo')) return null;
  return (
    <div id="promo">
      <Header title="This week" />
      {shown && offers.map((offer) => <p key={offer}>{offer}</p>)}
      <button onClick={() => setShown(!shown)}>{shown ? 'Hide' : 'Show'}</button>
    </div>
  );
}
