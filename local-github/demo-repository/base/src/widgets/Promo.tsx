import { useState } from 'react';
import { isOn } from '../flags.js';
import { Header } from './Header.js';

type Props = { readonly offers: readonly string[] };

/** The box with this week's offers. */
export function Promo({ offers }: Props) {
  const [shown, setShown] = useState(true);

  if (!isOn('promo')) return null;
  return (
    <div id="promo">
      <Header title="This week" />
      {shown && offers.map((offer) => <p key={offer}>{offer}</p>)}
      <button onClick={() => setShown(!shown)}>{shown ? 'Hide' : 'Show'}</button>
    </div>
  );
}
