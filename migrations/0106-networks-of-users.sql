-- rolling: yes
-- A log-in from a network of any user waits in a queue of its own: strangers from hundreds of networks fill the other one.
create index known_networks_of_network on known_networks (network, last_at);
