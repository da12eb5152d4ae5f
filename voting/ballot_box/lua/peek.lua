-- How a turn's ballots stand, by side and column: in events where everybody knows who sees it.
-- Of a ranking the first choice counts, of a set each of its columns (see voting/counting/choices.py).
-- KEYS: ballots.  ARGV: columns.  Answers {{red's first column, ...}, {yellow's first column, ...}}.
local counts = { red = {}, yellow = {} }
for column = 1, tonumber(ARGV[1]) do
  counts.red[column], counts.yellow[column] = 0, 0
end
for _, ballot in ipairs(redis.call('HVALS', KEYS[1])) do
  local side, choice = string.match(ballot, '^"(%a+)",(%d+)')
  local of, said = counts[side], tonumber(choice) % 1073741824
  if said < 536870912 then
    of[said % 256] = of[said % 256] + 1
  else
    for number = 1, #of do
      of[number] = of[number] + math.floor((said - 536870912) / 2 ^ (number - 1)) % 2
    end
  end
end
return { counts.red, counts.yellow }
